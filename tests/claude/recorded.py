"""The recorded sessions of the real Claude Code, as they lay on disk or below any other folder."""

import os
import shutil
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

RECORDED = Path(__file__).parents[1] / "recorded" / "claude"
HOME = "/home/ana"


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """One recorded session. ``trees``: prompt, by the first characters of its uuid → the tree when it was sent.

    ``listed``: what the real picker lists at the end, all of the whole file. ``earlier``: number of lines → what it
    listed then. ``unreached``: path → what changed it that the records do not hold.
    """

    case: str
    session: str
    listed: tuple[str, ...]
    trees: Mapping[str, str]
    earlier: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    unreached: Mapping[str, str] = field(default_factory=dict)

    @property
    def claude(self) -> Path:
        """``~/.claude`` as recorded."""
        return RECORDED / self.case / "home" / ".claude"

    @property
    def transcript(self) -> Path:
        """The transcript as recorded."""
        return self.claude / "projects" / "-home-ana-demo" / f"{self.session}.jsonl"

    def tree(self, name: str) -> dict[str, bytes]:
        """Files of the workspace, by path below it."""
        found = {}
        with tarfile.open(RECORDED / self.case / "trees" / f"{name}.tar") as archive:
            for member in archive.getmembers():
                data = archive.extractfile(member)
                if data is not None:
                    found[member.name.removeprefix("demo/")] = data.read()
        return found

    def lay_out(self, root: Path) -> "LaidOut":
        """Put home and workspace below a folder, as they were at the end."""
        home = root / "home" / "ana"
        shutil.copytree(self.claude, home / ".claude")
        projects = home / ".claude" / "projects"
        slug = "".join(one if one.isascii() and one.isalnum() else "-" for one in os.path.realpath(home / "demo"))
        (projects / "-home-ana-demo").rename(projects / slug)
        for path in projects.rglob("*.jsonl"):
            path.write_bytes(path.read_bytes().replace(HOME.encode(), os.fsencode(home)))
        for name, data in self.tree("end").items():
            (home / "demo" / name).parent.mkdir(parents=True, exist_ok=True)
            (home / "demo" / name).write_bytes(data)
        return LaidOut(home=home, transcript=projects / slug / f"{self.session}.jsonl")


@dataclass(frozen=True, kw_only=True)
class LaidOut:
    """A recorded session on disk."""

    home: Path
    transcript: Path

    @property
    def claude(self) -> str:
        """``~/.claude``."""
        return str(self.home / ".claude")

    @property
    def demo(self) -> Path:
        """The workspace."""
        return self.home / "demo"


C1 = Recorded(
    case="c1_rewind_ui",
    session="5c0f126e-826a-4143-8154-f79d3f0e744c",
    listed=("80833a95",),
    earlier={
        95: ("7a319739", "e27d2baf", "4740ba4e", "34bafb3c", "ceb98915"),
        131: ("7a319739", "e27d2baf", "4740ba4e", "ddd04478", "e7754aef"),
        139: ("7a319739", "e27d2baf", "4740ba4e", "96bdbaad"),
        151: ("7a319739", "e27d2baf", "4740ba4e", "96bdbaad", "06cd8135"),
    },
    trees={
        "7a319739": "before-P1",
        "e27d2baf": "before-P2",
        "4740ba4e": "before-P3",
        "34bafb3c": "before-P4",
        "ceb98915": "before-P5",
        "ddd04478": "before-P6",
        "e7754aef": "before-P7",
        "96bdbaad": "after-rewind-code-conv-to-P6",
        "06cd8135": "before-P9",
        "80833a95": "before-P10",
    },
    unreached={"old.txt": "Bash", "sh.txt": "Bash"},
)
C2 = Recorded(
    case="c2_agents_background",
    session="ffba2f4d-8973-4ef7-bc45-65361318a966",
    listed=("bcf59bb0", "fa9373a4", "2db48fab", "3db98e2c", "c87fc713", "76b6f7d6"),
    trees={
        "bcf59bb0": "before-P1",
        "fa9373a4": "before-P2",
        "2db48fab": "before-P3",
        "3db98e2c": "before-P4",
        "c87fc713": "before-P5",
        "76b6f7d6": "before-P6",
    },
    unreached={"sub.txt": "Agent", "bgsub.txt": "Agent", "bgsh.txt": "Bash"},
)
C3 = Recorded(
    case="c3_kinds_and_compact",
    session="e5c9e435-fbeb-4cc2-8d75-3b3132700a96",
    listed=(
        "9f17a64e",
        "0c167dba",
        "34521b43",
        "f1913d45",
        "7b4c309c",
        "9522beba",
        "86aed987",
        "fb2bcbe5",
        "6f9ddd96",
        "1dcd36d0",
        "91100499",
    ),
    trees={
        "9f17a64e": "before-P1",
        "0c167dba": "before-P2",
        "34521b43": "before-P3-custom",
        "f1913d45": "before-P4-bang",
        "7b4c309c": "before-P6",
        "86aed987": "before-P8",
        "fb2bcbe5": "before-P10",
        "6f9ddd96": "before-compact",
        "1dcd36d0": "before-P11",
        "91100499": "before-P12",
    },
    unreached={"bang.txt": "!", ".red": "the user's own hook"},
)
C4 = Recorded(
    case="c4_sdk_branch_interrupt",
    session="57383cea-d50d-4b3a-a931-c1c95d56cf02",
    listed=("9d11bc9a", "143bf06e", "7ccdb0f8", "dc8dd546", "7f461a07"),
    trees={
        "9d11bc9a": "before-P1",
        "143bf06e": "before-P2",
        "7ccdb0f8": "before-P8",
        "dc8dd546": "before-P9",
        "7f461a07": "before-P10",
    },
    unreached={"sub.txt": "Agent", "z.txt": "Bash"},
)
C8 = Recorded(
    case="c8_two_processes_kill",
    session="1d8457d1-5267-4a42-88ef-658e0a98f8bd",
    listed=("533cdb22", "b74e851a", "30ec8716", "b0908765", "11962356", "51624444"),
    trees={
        "533cdb22": "before-P1",
        "b74e851a": "before-P2",
        "30ec8716": "before-P4",
        "b0908765": "before-P6",
        "11962356": "before-P7",
        "51624444": "before-P8",
    },
)
CASES = (C1, C2, C3, C4, C8)
