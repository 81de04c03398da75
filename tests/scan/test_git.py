"""Git's objects stand for bytes only where they are exactly those; nothing of a repository is ever touched."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from respool.storage.files.scan_contents import WORTH_ASKING_GIT
from respool.storage.files.scan_git import Objects, object_name
from tests.harness.tree import git_pictures, picture
from tests.scan.scene import Scene

MANY = WORTH_ASKING_GIT + 6


def git(where: Path, *arguments: str) -> str:
    settings = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"]
    return subprocess.run(["git", *settings, *arguments], cwd=where, check=True, capture_output=True, text=True).stdout


def committed(where: Path) -> None:
    where.mkdir(parents=True, exist_ok=True)
    git(where, "init", "-q")
    for number in range(MANY):
        (where / f"f{number}").write_text(f"number {number}\n" * 50)
    git(where, "add", "-A")
    git(where, "commit", "-q", "-m", "x")


def pile_bytes(scene: Scene) -> int:
    return sum(path.stat().st_size for path in (scene.state / "baselines").glob("*/pile-*"))


@pytest.fixture
def repository(scene: Scene) -> Scene:
    committed(scene.work)
    return scene


def test_what_git_holds_is_not_stored_twice_and_comes_back_from_there(repository: Scene) -> None:
    before = picture(repository.work)
    token = repository.open()
    stored = pile_bytes(repository)

    for number in range(MANY):
        (repository.work / f"f{number}").write_text("after")
    result = repository.close(token)

    assert stored == 0
    assert len(result.changes) == MANY
    repository.take_back(result)
    assert picture(repository.work) == before


def test_files_that_a_filter_would_make_equal_are_not_taken_for_equal(scene: Scene) -> None:
    committed(scene.work)
    (scene.work / ".gitattributes").write_text("*.crlf text eol=crlf\n*.id ident\n*.lf filter=broken\n")
    git(scene.work, "config", "core.autocrlf", "true")
    for number in range(MANY):
        (scene.work / f"{number}.crlf").write_bytes(b"a\r\nb\r\n%d" % number)
        (scene.work / f"{number}.id").write_text(f"$Id$ {number}")
    git(scene.work, "add", "-A")
    git(scene.work, "commit", "-q", "-m", "filtered")
    before = picture(scene.work)

    result = scene.window(lambda work: [path.write_text("x") for path in work.glob("[0-9]*.*")])

    assert len(result.changes) == 2 * MANY
    scene.take_back(result)
    assert picture(scene.work) == before


def test_an_object_that_is_gone_means_unknown_and_never_absent(repository: Scene) -> None:
    token = repository.open()
    shutil.rmtree(repository.work / ".git" / "objects")

    (repository.work / "f0").write_text("after")
    (change,) = repository.close(token).changes

    assert (change["before"], change["reason"]) == (None, "before_gone")


def test_an_object_that_is_not_what_its_name_says_means_unknown(repository: Scene) -> None:
    token = repository.open()
    names = [object_name((repository.work / f"f{number}").read_bytes()) for number in (0, 1)]
    paths = [repository.work / ".git" / "objects" / name[:2] / name[2:] for name in names]
    paths[0].chmod(0o644)
    shutil.copy(paths[1], paths[0])

    (repository.work / "f0").write_text("after")
    (change,) = repository.close(token).changes

    assert (change["before"], change["reason"]) == (None, "before_gone")


def test_replaced_objects_are_not_believed(repository: Scene) -> None:
    first = (repository.work / "f0").read_bytes()
    token = repository.open()
    git(repository.work, "replace", object_name(first), object_name((repository.work / "f1").read_bytes()))

    (repository.work / "f0").write_text("after")

    assert repository.before(repository.close(token), "f0") == first


def test_the_repository_its_index_and_its_times_stay_as_they_are(repository: Scene) -> None:
    (repository.work / "f0").write_text("changed")
    before = git_pictures(repository.work)

    token = repository.open()
    (repository.work / "f1").write_text("changed")
    repository.close(token)

    assert git_pictures(repository.work) == before


def test_hooks_and_monitors_of_the_repository_never_run(repository: Scene) -> None:
    trap = repository.root / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {repository.root}/sprung\n")
    trap.chmod(0o755)
    git(repository.work, "config", "core.fsmonitor", str(trap))
    for name in ("post-index-change", "reference-transaction"):
        shutil.copy(trap, repository.work / ".git" / "hooks" / name)

    result = repository.window(lambda work: subprocess.run(["sh", "-c", "rm f*"], cwd=work, check=True))

    assert len(result.changes) == MANY
    assert not (repository.root / "sprung").exists()


def test_a_repository_that_could_fetch_objects_is_not_asked(repository: Scene) -> None:
    git(repository.work, "config", "remote.origin.promisor", "true")

    repository.open()

    assert pile_bytes(repository) > 0


def test_variables_of_a_hook_do_not_lead_elsewhere(repository: Scene) -> None:
    os.environ["GIT_DIR"] = "/nowhere"
    try:
        repository.open()
    finally:
        del os.environ["GIT_DIR"]

    assert pile_bytes(repository) == 0


def test_nested_repositories_submodules_and_worktrees_are_looked_into_and_their_git_left_alone(scene: Scene) -> None:
    library = scene.root / "library"
    committed(library)
    committed(scene.work)
    committed(scene.work / "nested")
    git(scene.work, "submodule", "add", "-q", str(library), "sub")
    git(scene.work, "worktree", "add", "-q", "tree")
    before, repositories = picture(scene.work), git_pictures(scene.work)
    token = scene.open()
    stored = pile_bytes(scene)

    for folder in ("nested", "sub", "tree"):
        for number in range(MANY):
            (scene.work / folder / f"f{number}").write_text(folder)
    result = scene.close(token)

    assert stored < 1000  # .gitmodules
    assert (len(result.changes), result.excluded) == (3 * MANY, [])
    scene.take_back(result)
    assert picture(scene.work) == before
    assert git_pictures(scene.work) == repositories


def test_a_commit_in_a_submodule_or_a_worktree_is_named(scene: Scene) -> None:
    library = scene.root / "library"
    committed(library)
    committed(scene.work)
    git(scene.work, "submodule", "add", "-q", str(library), "sub")
    git(scene.work, "worktree", "add", "-q", "tree")

    for folder in ("sub", "tree"):
        inside = scene.work / folder

        result = scene.window(lambda _: git(inside, "commit", "-q", "--allow-empty", "-m", "y"))  # noqa: B023 - run at once

        named = {os.path.relpath(left_out["path"], scene.work): left_out["rule"] for left_out in result.excluded}
        assert named.pop(f"{folder}/.git") == "git"
        assert set(named) <= {".git"}


def test_a_workspace_inside_a_repository_uses_its_objects(root: Path) -> None:
    committed(root / "ws")
    scene = Scene(root / "ws" / "inner")
    committed(scene.work)
    shutil.rmtree(scene.work / ".git")
    git(root / "ws", "add", "-A")

    scene.open()

    assert pile_bytes(scene) == 0


def test_without_git_everything_is_kept_by_us(repository: Scene) -> None:
    path, os.environ["PATH"] = os.environ["PATH"], "/nowhere"
    try:
        token = repository.open()
    finally:
        os.environ["PATH"] = path
    (repository.work / "f0").write_text("after")

    assert repository.before(repository.close(token), "f0") == b"number 0\n" * 50


def test_asking_for_many_objects_at_once_neither_stops_nor_mixes_the_answers(repository: Scene) -> None:
    held = [(repository.work / f"f{number}").read_bytes() for number in range(MANY)]
    wanted = [(object_name(data), len(data)) for data in held] + [("0" * 40, 1)] * 3000 + [(object_name(held[0]), 1)]
    objects = Objects(str(repository.work))

    found = objects.hold(wanted)
    objects.close()

    assert found == [True] * MANY + [False] * 3001
