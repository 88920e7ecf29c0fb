import { decodeUtf8 } from '../../codec/utf8.ts'
import type { ServerAccess } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import type { Span } from '../../model/source.ts'
import { createTransport, type Transport } from './transport.ts'

/** Reads what `access` names and makes a transport. @throws StackmasonError FILE_UNREADABLE, or FETCH_TLS when `caFile` holds no certificate */
export async function openTransport(
  access: ServerAccess,
  options: { readonly offline: boolean; readonly at?: Span },
  ports: Pick<Ports, 'files' | 'http' | 'clock' | 'random' | 'crypto'>,
): Promise<Transport> {
  const { plainHttp, caFile } = access
  if (caFile === undefined) return createTransport({ ...options, plainHttp }, ports)
  const certificateAuthorities = decodeUtf8(await ports.files.read(caFile))
  return createTransport({ ...options, plainHttp, certificateAuthorities }, ports)
}
