import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { ReportedFinding } from '../describe-finding.ts'
import type { FindingList } from './finding-list.ts'

/** Makes digests that stay when lines move or clusters join; equal findings are told apart by their number. */
export function fingerprints({ crypto, file }: FindingList): (finding: ReportedFinding) => string {
  const seen = new Map<string, number>()
  return ({ code, message, place }) => {
    const key = JSON.stringify([code, place?.file ?? file, message])
    const count = seen.get(key) ?? 0
    seen.set(key, count + 1)
    return crypto.sha256Hex(encodeUtf8(count === 0 ? key : key + String(count)))
  }
}
