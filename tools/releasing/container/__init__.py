"""The container image, and a way to try its steps in a clean root without an image builder."""
