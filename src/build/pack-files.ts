import { compareBytes } from '../codec/text/text-order.ts'
import { writeTar } from '../codec/bytes/tar.ts'
import type { ChartFile } from '../model/chart.ts'
import { gzip } from '../codec/bytes/gzip.ts'

/**
 * Packs the files as a .tgz: folder by folder in byte order, as Helm walks a chart (which decides the order of CRDs),
 * no times, no owners.
 */
export function packFiles(files: readonly ChartFile[]): Uint8Array {
  const sorted = files.map((file) => ({ file, steps: file.path.split('/') }))
  sorted.sort((a, b) => compareSteps(a.steps, b.steps))
  return gzip(writeTar(sorted.map(({ file }) => file)))
}

/** Packs a chart as `helm package` does: everything below a folder of the chart's name. */
export function packChart(files: readonly ChartFile[], name: string): Uint8Array {
  return packFiles(files.map(({ path, bytes }) => ({ path: `${name}/${path}`, bytes })))
}

function compareSteps(a: readonly string[], b: readonly string[]): number {
  for (const [index, step] of a.entries()) {
    const difference = compareBytes(step, b[index] ?? '')
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
