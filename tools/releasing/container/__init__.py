"""The container image, and a test of its steps in a clean root without an image builder."""
