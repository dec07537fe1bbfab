"""hermes browse: open hermes-sessions, the full-screen browser for conversations.

Written by "hermes-sessions init plugin". Delete the folder to remove it.
"""

import argparse
import os
import shutil
import subprocess
import sys

PROGRAM = "HERMES_SESSIONS"


def setup(parser):
    # Every word is meant for the program, flags too.
    parser.prefix_chars = "\0"
    parser.add_argument("words", nargs=argparse.REMAINDER)


def browse(args):
    program = shutil.which(PROGRAM)
    if program is None:
        sys.exit(f"hermes browse: there is no {PROGRAM}; run hermes-sessions init plugin again")
    command = [program, "browse", *args.words]
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    # Hermes has set HERMES_HOME to that of the profile, which the program reads.
    os.execv(program, command)


def register(ctx):
    ctx.register_cli_command(
        name="browse",
        help="Browse and search conversations, full screen",
        setup_fn=setup,
        handler_fn=browse,
    )
