"""gRPC: the emulator's controller, and the forwarder of what accessibility sees; needs `[grpc]`."""

import os

os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what fails is told by whoever called
