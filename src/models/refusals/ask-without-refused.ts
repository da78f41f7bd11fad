import { providerErrorIn, messageIn } from './provider-error.ts'
import { toolRefusal } from './tool-refusal.ts'

const mostAttempts = 16

interface Named {
  name: string
}

type OnRefused<Tool> = (refused: Tool[], error: unknown) => Promise<void>

interface Without<Tool, Answer> {
  answer: Answer
  refused: Tool[]
  beyond: Tool[]
  most: number | undefined
}

/**
 * Calls the model with the tools. If the provider refuses one, repeats the request without it. If the refusal stays the
 * same, the tool was not the reason and is restored. An answer that has started is not repeated.
 */
export async function askWithoutRefused<Tool extends Named, Answer>(
  tools: Tool[],
  how: { ask: (tools: Tool[]) => Promise<Answer>; hasBegun: () => boolean; onRefused: OnRefused<Tool> },
): Promise<Without<Tool, Answer>> {
  const innocent = new Set<Tool>()
  let refused: Tool[] = []
  let most: number | undefined
  let former = ''
  for (let attempt = 1; ; attempt += 1) {
    const taken = tools.filter((tool) => !refused.includes(tool))
    try {
      return { answer: await how.ask(taken.slice(0, most)), refused, beyond: taken.slice(most ?? Infinity), most }
    } catch (error) {
      if (how.hasBegun() || attempt >= mostAttempts) throw error
      const rejection = providerErrorIn(error)
      const message = rejection ? messageIn(rejection) : ''
      const last = refused.at(-1)
      if (last && message === former && message.includes(last.name)) {
        innocent.add(last)
        refused = refused.slice(0, -1)
      }
      former = message
      const left = tools.filter((tool) => !refused.includes(tool)).slice(0, most)
      const names = left.map((tool) => (innocent.has(tool) ? undefined : tool.name))
      const refusal = toolRefusal(error, names)
      const tool = refusal && 'tool' in refusal ? left[refusal.tool] : undefined
      if (tool) refused = [...refused, tool]
      else if (refusal && 'most' in refusal) most = refusal.most
      else throw error
      await how.onRefused(tool ? [tool] : left.slice(most), error)
    }
  }
}
