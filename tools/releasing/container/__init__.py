"""The container image, and its steps in a root of their own where no builder of images is."""
