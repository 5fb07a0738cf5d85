"""The release: the files in a wheel besides its packages, and the checks before it is published."""
