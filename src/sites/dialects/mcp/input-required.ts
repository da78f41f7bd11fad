import { mostStateBytes, type Form, type FormAnswer } from '../../../forms/form.ts'
import { secretAskedFor } from '../../../forms/secret-words.ts'
import { isObject } from '../../../json.ts'
import { readForm } from './asked-form.ts'

/** What a server asks for, or the sentence that says why nobody is asked. */
type AskedInput = { form: Form; state: string } | { refusal: string }

/** What the next request of the call carries besides the person's answer. */
interface State {
  key: string
  requestState?: string
  /** The task that asks; absent if the call itself does. */
  taskId?: string
}

/**
 * Reads a result that asks for input (MCP 2026-07-28, "Multi Round-Trip Requests"), or what a task asks for: one form with
 * plain values.
 */
export function readInputRequired(
  { inputRequests, requestState }: Record<string, unknown>,
  taskId?: string,
): AskedInput {
  const [first, ...others] = isObject(inputRequests) ? Object.keys(inputRequests) : []
  if (first === undefined) return refused('The tool asks to be called again later, which is not supported.')
  if (others.length > 0) return refused('The tool asks for several things at once, which is not supported.')
  const state: State = {
    key: first,
    ...(typeof requestState === 'string' && { requestState }),
    ...(taskId !== undefined && { taskId }),
  }
  const text = JSON.stringify(state)
  if (Buffer.byteLength(text) > mostStateBytes)
    return refused(`The tool asks for input with a state of more than ${mostStateBytes} bytes.`)
  const form = readRequest((inputRequests as Record<string, unknown>)[first])
  return 'refusal' in form ? form : { form, state: text }
}

const refused = (refusal: string) => ({ refusal })

function readRequest(request: unknown): Form | { refusal: string } {
  const { method, params } = isObject(request) ? request : {}
  if (method !== 'elicitation/create' || !isObject(params))
    return refused('The tool asks for something else than input of a person, which is not supported.')
  if (params['mode'] !== undefined && params['mode'] !== 'form')
    return refused('The tool asks a person to open an address, which is not allowed.')
  const form = readForm(params)
  if (!form) return refused('The tool asks for input in a form that is not supported or too large.')
  const secret = secretAskedFor(form)
  return secret === undefined ? form : refused(`The tool asks a person for a secret (${secret}), which is not allowed.`)
}

/** Which of the requests of a task the answer is to; undefined if it is to another question. */
export function answeredKey({ state }: FormAnswer, taskId: string): string | undefined {
  const { key, taskId: asking } = JSON.parse(state) as State
  return asking === taskId ? key : undefined
}

/** The members of the next request that answer what the server asked. Its state is returned as it came. */
export function answeringParams(answer: FormAnswer): Record<string, unknown> {
  const { key, requestState } = JSON.parse(answer.state) as State
  const response = answer.action === 'accept' ? { action: 'accept', content: answer.input } : { action: 'decline' }
  return { inputResponses: { [key]: response }, ...(requestState !== undefined && { requestState }) }
}

/**
 * Says that a person can be asked. It is said with single calls, and so only since 2026-07-28: before, a server asks
 * while its response is open, which cannot wait for a person.
 */
export const canAsk = { elicitation: { form: {} } }
