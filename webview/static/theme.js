/* The theme classes VS Code puts on a body, in a browser chosen by what the system asks for. Runs before the first paint. */
(() => {
  const named = /(^| )vscode-(light|dark|high-contrast)/.test(document.body.className);
  const asks = ["(prefers-color-scheme: light)", "(prefers-contrast: more)", "(forced-colors: active)"].map((query) => matchMedia(query));
  const choose = () => {
    const [light, contrast, forced] = asks.map((ask) => ask.matches);
    const kind = contrast || forced ? (light ? ["high-contrast-light", "high-contrast"] : ["high-contrast"]) : [light ? "light" : "dark"];
    document.body.className = kind.map((name) => `vscode-${name}`).join(" ");
  };
  if (named) return;
  choose();
  for (const ask of asks) ask.addEventListener("change", choose);
})();
