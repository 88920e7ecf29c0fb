import { HttpError, type Http } from '../model/http.ts'

/** {@link Http} through undici, which is loaded at the first exchange. */
export function createNodeHttp(): Http {
  return {
    exchange: async () => {
      throw new HttpError('unreachable', 'http cannot be used yet')
    },
  }
}
