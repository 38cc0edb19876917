"""CPU-bound work for visitors: in processes that can be killed, with limits, and with fair scheduling."""
