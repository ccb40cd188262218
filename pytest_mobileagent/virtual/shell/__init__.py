"""Android's shell: mksh and toybox, interpreted inside the phone's own file system."""
