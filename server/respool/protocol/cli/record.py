"""``respool record``: a host on the other end of the pipe says what its agent does."""

import argparse
import os
import sys

from respool.protocol.cli.door import Door
from respool.protocol.cli.output import leave_alone
from respool.protocol.messages import Json, dumps
from respool.protocol.recorder import Recorder
from respool.protocol.recorder_requests import carry_out


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Until the host closes its end, or stops listening."""
    workspace = os.path.normpath(os.path.join(door.workspace, arguments.workspace or ""))
    door.services().retention.daily_aside()
    capture = door.capture(arguments.session, workspace)
    recorder = Recorder(answer=lambda request: carry_out(capture, request), events=capture.events, say=_say)
    try:
        recorder.serve(sys.stdin.fileno())
    except BrokenPipeError:
        leave_alone("stdout")
    return 0


def _say(value: Json) -> None:
    sys.stdout.buffer.write(dumps(value) + b"\n")
    sys.stdout.flush()
