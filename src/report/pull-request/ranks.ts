/**
 * What gets room first, by form: what a reviewer must know, each in a few lines; then that everything is named; then all
 * of it. The lowest rank is the first.
 */
export const ranks = {
  summary: [0, 2, 34],
  effects: [8, 10, 40, 80],
  clusters: [18, 20, 41, 90],
  versions: [19, 22, 42, 82],
  errors: [24, 50],
  undo: [23, 26, 44, 84],
  steps: [28, 60],
  reproduce: [30],
  changes: [70, 100, 130],
  warnings: [72, 110],
  acknowledged: [74, 112],
} as const
