import { inputRequired, inputResponse, type McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

type Properties = Record<string, object>

const words = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })

const askFor = (message: string, properties: Properties, requestState: string, required = Object.keys(properties)) =>
  inputRequired({
    requestState,
    inputRequests: { asked: question(message, properties, required) },
  })

const question = (message: string, properties: Properties, required = Object.keys(properties)) =>
  ({
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
  }) as never

const sizes = {
  type: 'string',
  title: 'Size',
  oneOf: ['s', 'm'].map((size) => ({ const: size, title: `Size ${size}` })),
}
const extras = {
  type: 'array',
  title: 'Extras',
  minItems: 1,
  maxItems: 2,
  items: { anyOf: ['salt', 'oil', 'bread'].map((extra) => ({ const: extra, title: `With ${extra}` })) },
}
const ice = { type: 'array', items: { type: 'string', enum: ['ice', 'lemon'] }, default: ['lemon'] }
const amount = { type: 'integer', title: 'Amount', minimum: 1, maximum: 9, default: 1 }

/** Tools that ask a person in the middle of a call. `ordered` gets what was ordered, and `said` is part of a question. */
export function askingTools(ordered: unknown[], said = '') {
  return (server: McpServer): void => {
    const tool = (name: string, run: (answers: unknown, state: string | undefined) => unknown) =>
      server.registerTool(name, { inputSchema: z.object({}) }, ((_args: unknown, context: Context) =>
        run(context.mcpReq.inputResponses, context.mcpReq.requestState())) as never)

    tool('order', (answers) => {
      const answer = inputResponse(answers as never, 'asked')
      if (answer.kind !== 'elicit')
        return askFor(`What do you order?${said}`, { size: sizes, amount }, 'order "1"', ['size'])
      if (answer.action !== 'accept') return words(`Nothing was ordered: ${answer.action}.`)
      ordered.push(answer.content)
      return words('Ordered.')
    })
    tool('survey', (answers, state) => {
      const answer = inputResponse(answers as never, 'asked')
      if (answer.kind !== 'elicit') return askFor('Your name?', { name: { type: 'string' } }, 'first')
      if (state === 'first') return askFor('Your age?', { age: { type: 'number' } }, 'second')
      ordered.push(answer.action === 'accept' && answer.content)
      return words(`Thank you: ${state}.`)
    })
    tool('lunch', (answers) => {
      const [food, drink] = ['food', 'drink'].map((key) => inputResponse(answers as never, key))
      if (food?.kind !== 'elicit' || drink?.kind !== 'elicit')
        return inputRequired({
          requestState: 'lunch',
          inputRequests: {
            food: question('What to eat?', { extras }),
            drink: question('What to drink?', { extras: ice }),
          },
        })
      ordered.push([food.action === 'accept' && food.content, drink.action === 'accept' && drink.content])
      return words('Enjoy.')
    })
    tool('endless', () => askFor('Once more?', { more: { type: 'boolean' } }, 'again'))
    tool('login', () => askFor('Who are you?', { apiKey: { type: 'string' } }, 'login'))
    tool('visit', () =>
      inputRequired({
        inputRequests: { asked: inputRequired.elicitUrl({ message: 'Look.', url: 'https://example.com' }) },
      }),
    )
  }
}

interface Context {
  mcpReq: { inputResponses?: unknown; requestState: () => string | undefined }
}
