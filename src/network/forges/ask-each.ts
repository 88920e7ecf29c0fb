import { refusalOf } from './forge-client.ts'

/**
 * Asks for all at once, and each by itself where one of them is refused.
 * @returns the names of those who were
 */
export async function askEach(
  askAll: () => Promise<void>,
  each: readonly { readonly name: string; readonly ask: () => Promise<void> }[],
): Promise<readonly string[]> {
  const isRefused = async (ask: () => Promise<void>): Promise<boolean> => {
    try {
      await ask()
      return false
    } catch (error) {
      const status = refusalOf(error)?.status
      if (status === 422 || status === 404) return true
      throw error
    }
  }
  if (!(await isRefused(askAll))) return []
  const refused: string[] = []
  for (const { name, ask } of each) if (await isRefused(ask)) refused.push(name)
  return refused
}
