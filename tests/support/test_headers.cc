// SPDX-License-Identifier: Apache-2.0
// Nothing: what matters of this target is its precompiled headers (test_programs.cmake).
int main() { return 0; }
