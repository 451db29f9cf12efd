"""The kernel's rules by what they are about; `kernel` lists them."""
