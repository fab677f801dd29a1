# SPDX-License-Identifier: Apache-2.0
# Prints the input line that is most like `given`, if at most a third of its letters differ (and two
# in a short one). A pair of swapped letters counts as one difference.

function least(a, b) { return a < b ? a : b }

function distance(a, b,    i, j, cost, row) {
  for (i = 0; i <= length(a); ++i) row[i, 0] = i
  for (j = 0; j <= length(b); ++j) row[0, j] = j
  for (i = 1; i <= length(a); ++i)
    for (j = 1; j <= length(b); ++j) {
      cost = substr(a, i, 1) != substr(b, j, 1)
      row[i, j] = least(least(row[i - 1, j] + 1, row[i, j - 1] + 1), row[i - 1, j - 1] + cost)
      if (i > 1 && j > 1 && substr(a, i, 1) == substr(b, j - 1, 1) && substr(a, i - 1, 1) == substr(b, j, 1))
        row[i, j] = least(row[i, j], row[i - 2, j - 2] + 1)
    }
  return row[length(a), length(b)]
}

BEGIN { best = length(given) / 3; if (best < 2) best = 2; best += 0.5 }
{ found = distance(given, $0) }
found < best { best = found; nearest = $0 }
END { if (nearest != "") print nearest }
