import { isObject } from '../../json.ts'
import { callsOf, choiceOf, endWordOf, indexOf, isRefusal, messageOf, usageOf, type Members } from './chat-message.ts'
import { StreamedCalls, type CallPiece } from './streamed-calls.ts'

/** A whole answer in the form that adapters read. */
export function wholeAnswer(given: Members): Members {
  const choice = choiceOf(given['choices'], undefined)
  const usage = usageOf(given, choice)
  const choices = listOf(given['choices'], isSaid(choice) ? wholeChoice(choice) : silence)
  return { object: 'chat.completion', choices, ...(usage && { usage }) }
}

/** An invalid list stays unchanged, so the adapter's error names it. */
const listOf = (choices: unknown, choice: unknown): unknown =>
  !isSaid(choices) || typeof choices === 'object' ? [choice] : choices

const isSaid = (value: unknown): boolean => value !== undefined && value !== null

/** A substitute for the end word that shows why an answer is empty. */
const noChoice = 'no choices'
const silence = { index: 0, message: { role: 'assistant', content: '' }, finish_reason: noChoice }

const nothing = { index: 0, delta: {}, finish_reason: null }

function wholeChoice(choice: unknown): unknown {
  if (!isObject(choice)) return choice
  const { message = choice['delta'], finish_reason: word } = choice
  if (!isObject(message)) return { message }
  const calls = callsOf(message)?.map(({ id, name, arguments: text = '', extra }) => ({
    id: id ?? '',
    function: { name, arguments: text },
    extra_content: extra,
  }))
  return {
    index: 0,
    message: { role: 'assistant', ...messageOf(message), tool_calls: calls ?? message['tool_calls'] },
    finish_reason: isRefusal(message) ? refused : (endWordOf(word) ?? ''),
  }
}

/** The end word of an answer in which the model refuses. Servers combine it with any other word. */
const refused = 'refusal'

/** Converts the events of one streamed answer to the form that adapters read. */
export class ChatChunks {
  readonly #calls = new StreamedCalls()
  /** Whether it contains events of another protocol, which has event types. */
  isForeign = false
  #index: number | undefined
  #hasBegun = false
  #hasChoice = false
  #hasWords = false
  #isRefused = false
  #hasEnded = false
  #endsWithUsage = false
  usage: Members = {}

  read(event: Members): Members {
    const { type, choices } = event
    this.isForeign ||= typeof type === 'string' && choices === undefined && !/ping|keep/i.test(type)
    const choice = choiceOf(choices, this.#index)
    const usage = usageOf(event, choice)
    this.#hasChoice ||= isSaid(choice)
    this.#hasBegun ||= isSaid(choice) || usage !== undefined
    this.#endsWithUsage = !isSaid(choice) && usage !== undefined
    this.usage = { ...this.usage, ...usage }
    const read = listOf(choices, isSaid(choice) ? this.#choice(choice) : nothing)
    return { choices: read, ...(usage && { usage: this.usage }) }
  }

  /**
   * Completes an answer that ended without an end word; undefined if it is complete or broke off. Separate usage comes
   * last.
   *
   * @param isDone whether the server says that nothing follows
   */
  end(isDone: boolean): Members | undefined {
    if (this.isForeign || this.#hasEnded || !this.#hasBegun || !(isDone || this.#endsWithUsage)) return undefined
    return { choices: [{ ...nothing, finish_reason: this.#hasChoice ? '' : noChoice }] }
  }

  #choice(choice: unknown): unknown {
    if (!isObject(choice)) return choice
    this.#index ??= indexOf(choice)
    const delta = this.#delta(choice)
    const word = endWordOf(choice['finish_reason'])
    this.#hasEnded ||= word !== undefined
    return { index: 0, delta, finish_reason: word === undefined ? null : this.#isRefused ? refused : word }
  }

  /** Some servers write whole messages, beside the piece or instead of it. Then the first one counts. */
  #delta({ delta, message }: Members): unknown {
    const piece = isSaid(delta) || this.#hasWords ? delta : message
    if (!isSaid(piece)) return {}
    if (!isObject(piece)) return piece
    this.#hasWords = true
    this.#isRefused ||= isRefusal(piece)
    const calls = callsOf(piece)?.map((call) => this.#calls.read(call))
    return { ...messageOf(piece), tool_calls: calls ?? piece['tool_calls'] }
  }
}

/** Joins the pieces of a stream to one answer; without `choices` if it broke off. */
export async function gathered(chunks: AsyncIterable<Members | string>): Promise<Members> {
  const parts: unknown[] = []
  const calls: CallPiece[] = []
  let thoughts = ''
  let word: unknown
  let usage: unknown
  for await (const chunk of chunks) {
    if (typeof chunk === 'string') return { usage }
    usage = chunk['usage'] ?? usage
    const { choices: read } = chunk
    if (!Array.isArray(read)) return { choices: read }
    const [{ delta, finish_reason: end } = {} as Members] = read as Members[]
    word = end ?? word
    if (!isObject(delta)) {
      if (isSaid(delta)) return { choices: [{ message: delta }] }
      continue
    }
    parts.push(...[delta['content'] ?? []].flat().map(toPart))
    const { reasoning_content: thought } = delta
    if (typeof thought === 'string') thoughts += thought
    for (const piece of (delta['tool_calls'] ?? []) as CallPiece[]) addTo(calls, piece)
  }
  if (!isSaid(word)) return { usage }
  const message = { role: 'assistant', content: parts, reasoning_content: thoughts, tool_calls: calls }
  const choices = [{ index: 0, message, finish_reason: word }]
  return { object: 'chat.completion', choices, ...(isSaid(usage) && { usage }) }
}

const toPart = (part: unknown): unknown => (typeof part === 'string' ? { type: 'text', text: part } : part)

function addTo(calls: CallPiece[], piece: CallPiece): void {
  const call = calls[piece.index]
  if (!call) calls[piece.index] = piece
  else {
    call.function.name ??= piece.function.name
    call.function.arguments += piece.function.arguments ?? ''
  }
}
