# SPDX-License-Identifier: Apache-2.0
# Thins ninja's status lines, with NINJA_STATUS='@%f/%t ', to one for every ten percent. Warnings and
# errors pass.

/^@[0-9]+\/[0-9]+ / {
  split(substr($1, 2), part, "/")
  tenths = int(10 * part[1] / part[2])
  if (tenths > last) {
    printf "   %3d %%  (%d of %d steps)\n", 10 * tenths, part[1], part[2]
    last = tenths
  }
  fflush()
  next
}
{ print; fflush() }
