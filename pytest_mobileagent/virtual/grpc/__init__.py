"""gRPC: the emulator's controller, and the forwarder of what accessibility sees; needs `[grpc]`."""
