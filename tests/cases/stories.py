"""The workspace samples as small plays. Each is one bug seen elsewhere; names and contents are made up."""

import os
from collections.abc import Callable

from tests.cases.live import player
from tests.cases.play import Played, tool
from tests.harness.place import Place

ODD_NAMES = (
    "报告.txt",
    " leading space.txt",
    "trailing space ",
    "new\nline.txt",
    "-rf",
    'quo"te.txt',
    "apos'trophe.txt",
    "emoji 🏮.md",
    "semi;colon&.txt",
    "%b$HOME.txt",
    "[glob]*.txt",
    "é-composed.txt",
    "e\u0301-decomposed.txt",
    "back\\slash.txt",
)
AGENT = tool("Agent", '{"description": "tidy", "prompt": "Tidy the shed"}', "Tidied", shortResult="Agent completed")


def same_millisecond(place: Place) -> Played:
    """Four edits of one file with equal stamps."""
    play = player(place, same_instant=True)
    play.put("lamp/wick.py", "length = 1\n")
    play.put("lamp/base.py", "base = 1\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    for length in (2, 3, 4):
        play.write("lamp/wick.py", f"length = {length}\n")
    play.answer()
    play.user("msg-u3")
    play.write("lamp/wick.py", "length = 5\n")
    play.write("lamp/base.py", "base = 2\n")
    play.write("lamp/wick.py", "length = 6\n")
    play.answer()
    return play.finish()


def create_edit_delete(place: Place) -> Played:
    """A file made, edited and deleted; an old one deleted and made again."""
    play = player(place)
    play.put("stock/old.txt", "old stock\n")
    play.put("stock/keep.txt", "keep\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("stock/draft.txt", "draft 1\n")
    play.write("stock/draft.txt", "draft 2\n")
    play.remove("stock/draft.txt")
    play.remove("stock/old.txt")
    play.answer()
    play.user("msg-u3")
    play.write("stock/old.txt", "new stock\n")
    play.write("report/a/b/summary.txt", "sum\n")
    play.answer()
    return play.finish()


def backup_gone(place: Place) -> Played:
    """A clean-up has removed two of four backups."""
    play = player(place)
    play.put("price.csv", "sku,price\nL-01,12.50\n")
    play.put("note.txt", "v0\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("price.csv", "sku,price\nL-01,13.75\n")
    play.write("note.txt", "v1\n")
    play.answer()
    play.user("msg-u3")
    play.write("price.csv", "sku,price\nL-01,15.00\n")
    play.remove("note.txt")
    play.answer()
    played = play.finish()
    played.backups("price.csv")[0].unlink()
    played.backups("note.txt")[1].unlink()
    return played


def binary(place: Place) -> Played:
    """Bytes that no text decoding survives, and a file that was empty."""
    play = player(place)
    play.put("seal.bin", bytes(range(256)) * 3 + b"\x89PNG\r\n\x1a\n" + bytes(64))
    play.put("img/utf16.txt", b"\xff\xfe\x00l\x00a")
    play.put("img/empty.dat", b"")
    play.put("img/latin1.txt", b"caf\xe9\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("seal.bin", b"\x00\x01\x02")
    play.write("img/utf16.txt", "text now\n")
    play.write("img/empty.dat", "no longer empty\n")
    play.write("img/latin1.txt", "café\n")
    play.answer()
    return play.finish()


def line_endings(place: Place) -> Played:
    """CR LF, lone CR, byte order mark, no final newline, in a repository that would convert them."""
    play = player(place)
    play.put("eol/crlf.txt", "one\r\ntwo\r\n")
    play.put("eol/mixed.txt", "one\r\ntwo\nthree\rfour")
    play.put("eol/bom.txt", b"\xef\xbb\xbfone\n")
    play.put("eol/nofinal.txt", "one")
    play.put(".gitattributes", "* text=auto eol=lf\n*.psd filter=lfs diff=lfs merge=lfs -text\n")
    play.put("art/cover.psd", "not a pointer: real picture bytes\n")
    play.shell("git init -q; git config core.autocrlf true")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("eol/crlf.txt", "one\ntwo\n")
    play.write("eol/mixed.txt", "one\ntwo\nthree\nfour\n")
    play.write("eol/bom.txt", "one\n")
    play.write("eol/nofinal.txt", "one\n")
    play.write("art/cover.psd", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    play.answer()
    return play.finish()


def exec_bit(place: Place) -> Played:
    """Modes: Wave's record holds none, so an existing file keeps its own; ours does."""
    play = player(place)
    play.put("bin/run.sh", "#!/bin/sh\necho run\n", 0o755)
    play.put("bin/del.sh", "#!/bin/sh\necho del\n", 0o750)
    play.put("conf/key.pem", "KEY\n", 0o600)
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("bin/run.sh", "#!/bin/sh\necho faster\n")
    play.write("conf/key.pem", "NEW KEY\n")
    play.remove("bin/del.sh")
    play.answer()
    return play.finish()


def link_in_use(place: Place) -> Played:
    """Edits through a link to a file and a link to a folder; all three spellings are one file."""
    play = player(place)
    play.put("data/real.json", '{"n":1}\n')
    os.symlink("real.json", play.work / "data/current.json")
    os.symlink("data", play.work / "d")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("data/current.json", '{"n":2}\n')
    play.write("d/real.json", '{"n":3}\n')
    play.answer()
    return play.finish()


def file_becomes_folder(place: Place) -> Played:
    """A file turned into a folder and a folder into a file."""
    play = player(place)
    play.put("data", "I am a file\n")
    play.put("box/one.txt", "one\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.remove("data")
    play.write("data/a.txt", "a\n")
    play.write("data/sub/b.txt", "b\n")
    play.remove("box/one.txt")
    play.agent_shell("rmdir box")
    play.write("box", "box is a file now\n")
    play.answer()
    return play.finish()


def folders(place: Place) -> Played:
    """New folders, one with a file of the user's; an empty folder that was there before."""
    play = player(place)
    (play.work / "was/empty").mkdir(parents=True)
    play.put("lib/core.py", "core\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("lib/plugins/x/main.py", "x\n")
    play.write("lib/plugins/y/main.py", "y\n")
    play.write("was/empty/filled.txt", "f\n")
    play.answer()
    play.shell("echo mine > lib/plugins/y/mine.txt")
    return play.finish()


def bystanders(place: Place) -> Played:
    """Ignored, untracked, staged and shell-made files beside one edited file."""
    play = player(place)
    play.shell("git init -q")
    play.put(".gitignore", "output/\n*.log\n")
    play.put("tool.py", "v0\n")
    play.shell("git add -A; git commit -qm base")
    play.put("output/run1.csv", "a big result\n")
    play.put("debug.log", "log\n")
    play.put("scratch.txt", "untracked by git, mine\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("tool.py", "v1\n")
    play.agent_shell("mkdir -p output; echo result > output/run2.csv; echo more >> debug.log")
    play.shell("echo mine > after.txt; git add after.txt")
    play.answer("Run.", tool("Bash", '{"command": "python tool.py"}'))
    return play.finish()


def committed_since(place: Place) -> Played:
    """The user committed and switched branches between two turns."""
    play = player(place)
    play.shell("git init -q")
    for name in "abc":
        play.put(f"{name}.txt", f"{name}0\n")
    play.shell("git add -A; git commit -qm base")
    play.turn("msg-u1")
    play.turn("msg-u2", a_dot_txt="a1\n")
    play.shell(
        "echo b1 > b.txt; git commit -qam work; echo c1 > c.txt; "
        "git switch -qc other; echo d > d.txt; git add d.txt; git commit -qm d"
    )
    play.turn("msg-u3", a_dot_txt="a2\n")
    return play.finish()


def edited_since(place: Place) -> Played:
    """The user edited both files after the agent."""
    play = player(place)
    play.put("main.ts", "let x = 0;\n")
    play.turn("msg-u1")
    play.turn("msg-u2", main_dot_ts="let x = 1;\n", NOTES_dot_md="by the agent\n")
    play.shell("""printf 'let x = 1;\\nlet mine = true;\\n' > main.ts; echo 'and a line by me' >> NOTES.md""")
    return play.finish()


def deleted_by_user(place: Place) -> Played:
    """The user deleted edited files, and a whole folder."""
    play = player(place)
    play.put("keep/one.txt", "one v0\n")
    play.put("gone/two.txt", "two v0\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("keep/one.txt", "one v1\n")
    play.write("gone/two.txt", "two v1\n")
    play.write("gone/three.txt", "three\n")
    play.answer()
    play.shell("rm keep/one.txt; rm -r gone")
    return play.finish()


def odd_names(place: Place) -> Played:
    """Names that break quoting, globbing, option parsing or trimming."""
    play = player(place)
    for number, name in enumerate(ODD_NAMES, start=1):
        play.put(name, f"before {number}\n")
    play.put("g1.txt", "not matched by the glob name\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    for name in ODD_NAMES:
        play.write(name, "after\n")
    play.write("新的 файл.txt", "new\n")
    play.answer()
    return play.finish()


def nested_repositories(place: Place) -> Played:
    """A repository with another inside, an unborn one, and a submodule's ``.git`` file."""
    play = player(place)
    play.put("top.txt", "t0\n")
    play.shell("git init -q; git add top.txt; git commit -qm base")
    play.put("vendor/inner/in.txt", "i0\n")
    play.shell("cd vendor/inner; git init -q; git add -A; git commit -qm in")
    play.put("vendor/unborn/u.txt", "u0\n")
    play.shell("git init -q vendor/unborn")
    play.put("sub/.git", "gitdir: ../.git/modules/sub\n")
    play.put("sub/s.txt", "s0\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    for path, text in (("top.txt", "t1\n"), ("vendor/inner/in.txt", "i1\n"), ("vendor/unborn/u.txt", "u1\n")):
        play.write(path, text)
    play.write("sub/s.txt", "s1\n")
    play.answer()
    return play.finish()


def one_file_cannot_be_written(place: Place) -> Played:
    """A folder with the user's file stands where a file was; another file's folder is read-only."""
    play = player(place)
    for path, text in (("p/a.txt", "a0\n"), ("p/b", "b0\n"), ("p/c.txt", "c0\n"), ("p/ro/d.txt", "d0\n")):
        play.put(path, text)
    play.turn("msg-u1")
    play.user("msg-u2")
    for path, text in (("p/a.txt", "a1\n"), ("p/b", "b1\n"), ("p/c.txt", "c1\n"), ("p/ro/d.txt", "d1\n")):
        play.write(path, text)
    play.answer()
    play.shell("rm p/b; mkdir p/b; echo mine > p/b/mine.txt; chmod 0444 p/ro/d.txt; chmod 0555 p/ro")
    return play.finish()


def times_of_bystanders(place: Place) -> Played:
    """Forty files of 2020 beside one hot one, and one that already holds its old bytes."""
    play = player(place)
    for number in range(1, 41):
        play.put(f"many/f{number}.txt", f"same {number}\n")
    play.put("many/hot.txt", "h0\n")
    play.put("many/same.txt", "s0\n")
    play.shell("find . -type f -exec touch -d '2020-01-01T00:00:00Z' {} +")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("many/hot.txt", "h1\n")
    play.write("many/same.txt", "s1\n")
    play.write("many/same.txt", "s0\n")
    play.answer()
    return play.finish()


def shell_moved_it(place: Place) -> Played:
    """The agent's shell moved a recorded file, patched another and made a third."""
    play = player(place)
    play.put("src/old_name.py", "v0\n")
    play.put("src/other.py", "o0\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("src/old_name.py", "v1\n")
    play.agent_shell("mv src/old_name.py src/new_name.py; sed -i s/o0/o1/ src/other.py; echo junk > src/junk.txt")
    play.answer("Moved.", tool("Bash", '{"command": "mv src/old_name.py src/new_name.py"}'))
    return play.finish()


def huge_workspace(place: Place, bystanding: int = 2000) -> Played:
    """One edited file among many."""
    play = player(place)
    for number in range(bystanding):
        play.put(f"pkg/{number // 500}/{number}.txt", f"{number}\n")
    play.put("one.txt", "o0\n")
    play.turn("msg-u1")
    play.turn("msg-u2", one_dot_txt="o1\n")
    return play.finish()


def subagent_edits(place: Place) -> Played:
    """A sub-agent's edits stand on the message that launched it."""
    play = player(place)
    play.put("shed/rake.md", "rake 0\n")
    play.put("shed/hoe.md", "hoe 0\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("shed/rake.md", "rake by sub\n")
    play.write("shed/list.md", "list by sub\n")
    play.answer("The agent tidied.", AGENT)
    play.user("msg-u3")
    play.write("shed/hoe.md", "hoe by main\n")
    play.answer()
    return play.finish()


def two_writers(place: Place) -> Played:
    """Main agent and sub-agent take turns on one file in one millisecond."""
    play = player(place, same_instant=True)
    play.put("log.md", "L0\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    for text in ("L1 main\n", "L2 sub\n", "L3 main\n", "L4 sub\n"):
        play.write("log.md", text)
    play.answer("Edited.", AGENT)
    play.user("msg-u3")
    play.write("log.md", "L5 sub\n")
    play.write("log.md", "L6 main\n")
    play.answer()
    return play.finish()


Story = Callable[[Place], Played]

WHOLE: dict[str, tuple[Story, tuple[str, ...]]] = {
    "FR-02": (same_millisecond, ("msg-u1", "msg-u2", "msg-u3")),
    "FR-03": (create_edit_delete, ("msg-u1", "msg-u2", "msg-u3")),
    "FR-06": (binary, ("msg-u1", "msg-u2")),
    "FR-07": (line_endings, ("msg-u2",)),
    "FR-11": (file_becomes_folder, ("msg-u2",)),
    "FR-12": (folders, ("msg-u2",)),
    "FR-13": (bystanders, ("msg-u2",)),
    "FR-14": (committed_since, ("msg-u2", "msg-u3")),
    "FR-15": (edited_since, ("msg-u2",)),
    "FR-16": (deleted_by_user, ("msg-u2",)),
    "FR-17": (odd_names, ("msg-u2",)),
    "FR-20": (nested_repositories, ("msg-u2",)),
    "FR-25": (times_of_bystanders, ("msg-u2",)),
    "FR-26": (shell_moved_it, ("msg-u2",)),
    "PF-02": (huge_workspace, ("msg-u2",)),
    "SA-01": (subagent_edits, ("msg-u2", "msg-u3")),
    "SA-05": (two_writers, ("msg-u2", "msg-u3")),
}
"""Cases in which every recorded file comes back. The others have rules of their own."""
