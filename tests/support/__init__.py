"""What tests of several subjects share: factories, archives, commands, worked studies."""
