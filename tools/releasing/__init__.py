"""The release: what a wheel holds beside its packages, and the checks before it is published."""
