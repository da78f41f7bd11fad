import {
  longestForm,
  longestMessage,
  mostFields,
  mostQuestions,
  mostStateBytes,
  type Form,
  type FormAnswer,
  type FormInput,
} from '../../../forms/form.ts'
import { secretAskedFor } from '../../../forms/secret-words.ts'
import { isObject } from '../../../json.ts'
import { readForm } from './asked-form.ts'

/** What a server asks for, or the sentence that says why nobody is asked. */
type AskedInput = { form: Form; state: string } | { refusal: string }

/** What the next request of the call carries besides the person's answer. */
interface State {
  /** The server's keys of the questions, in their order in the form. */
  keys: string[]
  requestState?: string
  /** The task that asks; absent if the call itself does. */
  taskId?: string
}

/**
 * Reads a result that asks for input (MCP 2026-07-28, "Multi Round-Trip Requests"), or what a task asks for: forms with
 * plain values.
 */
export function readInputRequired(
  { inputRequests, requestState }: Record<string, unknown>,
  taskId?: string,
): AskedInput {
  const requests = isObject(inputRequests) ? Object.entries(inputRequests) : []
  if (requests.length === 0) return refused('The tool asks to be called again later, which is not supported.')
  if (requests.length > mostQuestions) return refused(`The tool asks more than ${mostQuestions} questions at once.`)
  const state: State = {
    keys: requests.map(([key]) => key),
    ...(typeof requestState === 'string' && { requestState }),
    ...(taskId !== undefined && { taskId }),
  }
  const text = JSON.stringify(state)
  if (Buffer.byteLength(text) > mostStateBytes)
    return refused(`The tool asks for input with a state of more than ${mostStateBytes} bytes.`)
  const read = requests.map(([, request]) => readRequest(request))
  const refusal = read.find((one) => 'refusal' in one)
  const form = together(read.filter((one) => 'fields' in one))
  if (refusal) return refusal
  if (isTooLarge(form)) return refused('The tool asks too many questions at once.')
  const secret = secretAskedFor(form)
  if (secret !== undefined) return refused(`The tool asks a person for a secret (${secret}), which is not allowed.`)
  return { form, state: text }
}

/** Questions that are asked at once as one form. Their numbers keep fields of the same name apart. */
function together(forms: Form[]): Form {
  const [first = { message: '', fields: [] }, ...others] = forms
  if (others.length === 0) return first
  return {
    message: forms.map(({ message }, at) => `${at + 1}. ${message}`).join('\n\n'),
    fields: forms.flatMap(({ fields }, at) =>
      fields.map((field) => {
        const { name, title } = field
        return { ...field, name: nameIn(at, name), title: `${at + 1}. ${title ?? name}` }
      }),
    ),
  }
}

const nameIn = (at: number, name: string): string => `${at + 1}.${name}`

const isTooLarge = (form: Form): boolean =>
  form.fields.length > mostFields || form.message.length > longestMessage || JSON.stringify(form).length > longestForm

const refused = (refusal: string) => ({ refusal })

function readRequest(request: unknown): Form | { refusal: string } {
  const { method, params } = isObject(request) ? request : {}
  if (method !== 'elicitation/create' || !isObject(params))
    return refused('The tool asks for something else than input of a person, which is not supported.')
  if (params['mode'] !== undefined && params['mode'] !== 'form')
    return refused('The tool asks a person to open an address, which is not allowed.')
  return readForm(params)
}

/** The requests of a task that the answer is to; none if it is to another question. */
export function answeredKeys({ state }: FormAnswer, taskId: string): string[] {
  const { keys, taskId: asking } = JSON.parse(state) as State
  return asking === taskId ? keys : []
}

/** The members of the next request that answer what the server asked. Its state is returned as it came. */
export function answeringParams(answer: FormAnswer): Record<string, unknown> {
  const { keys, requestState } = JSON.parse(answer.state) as State
  const responses = keys.map((key, at) => {
    if (answer.action === 'decline') return [key, { action: 'decline' }] as const
    return [key, { action: 'accept', content: keys.length > 1 ? partOf(answer.input, at) : answer.input }] as const
  })
  return { inputResponses: Object.fromEntries(responses), ...(requestState !== undefined && { requestState }) }
}

/** The values for one of several questions, by the names that the server gave them. */
function partOf(input: FormInput, at: number): FormInput {
  const start = nameIn(at, '')
  const own = Object.entries(input).filter(([name]) => name.startsWith(start))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(start.length), value]))
}

/**
 * Says that a person can be asked. It is said with single calls, and so only since 2026-07-28: before, a server asks
 * while its response is open, which cannot wait for a person.
 */
export const canAsk = { elicitation: { form: {} } }
