import { toolRefusal } from './tool-refusal.ts'

/** So often a request is made again without tools that its provider refuses. */
const mostAttempts = 16

interface Named {
  name: string
}

type OnRefused<Tool> = (refused: Tool[], error: unknown) => Promise<void>

/**
 * Asks with the tools; if the provider refuses one of them, again without it. Returns the answer, and the tools that were
 * left out for it. An answer that has begun is not asked for again.
 */
export async function askWithout<Tool extends Named, Answer>(
  tools: Tool[],
  how: { ask: (tools: Tool[]) => Promise<Answer>; hasBegun: () => boolean; onRefused: OnRefused<Tool> },
): Promise<{ answer: Answer; refused: Tool[] }> {
  const refused: Tool[] = []
  let left = tools
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { answer: await how.ask(left), refused }
    } catch (error) {
      const names = left.map(({ name }) => name)
      const refusal = how.hasBegun() || attempt >= mostAttempts ? undefined : toolRefusal(error, names)
      if (!refusal) throw error
      const without = 'tool' in refusal ? left.slice(refusal.tool, refusal.tool + 1) : left.slice(refusal.most)
      left = left.filter((tool) => !without.includes(tool))
      refused.push(...without)
      await how.onRefused(without, error)
    }
  }
}
