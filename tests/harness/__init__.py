"""What the black-box tests stand on: a home, a workspace, the command in a child process."""
