# SPDX-License-Identifier: Apache-2.0
# Thins ctest's output: of tests that passed it tells only every hundredth. All else passes.

/ Start +[0-9]+: / { next }
/ Passed +[0-9.]+ sec$/ {
  if (++passed % 100 == 0) print "   " passed " passed"
  fflush()
  next
}
{ print; fflush() }
