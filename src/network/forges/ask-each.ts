import { refusalOf } from './forge-client.ts'

/** Nobody knows the name, or it is none that may be asked. */
const REFUSALS: readonly number[] = [404, 422]

/**
 * Asks for all at once, and each by itself where one of them is refused.
 * @returns the names of those who were
 */
export async function askEach(
  askAll: () => Promise<void>,
  each: readonly { readonly name: string; readonly ask: () => Promise<void> }[],
  refusals: readonly number[] = REFUSALS,
): Promise<readonly string[]> {
  const isRefused = async (ask: () => Promise<void>): Promise<boolean> => {
    try {
      await ask()
      return false
    } catch (error) {
      const status = refusalOf(error)?.status
      if (status !== undefined && refusals.includes(status)) return true
      throw error
    }
  }
  if (!(await isRefused(askAll))) return []
  const refused: string[] = []
  for (const { name, ask } of each) if (await isRefused(ask)) refused.push(name)
  return refused
}
