import type { WireCall } from './chat-message.ts'

interface Call {
  place: number
  id: string | undefined
  name: string | undefined
  text: Nesting
}

/** A piece of a call in the form that adapters read: each call has its own number, and is named once. */
export interface CallPiece {
  index: number
  id?: string
  function: { name?: unknown; arguments?: string }
  extra_content?: unknown
}

/**
 * Finds the call of each piece of a stream. Servers omit indexes and ids, give the same index to all calls, or repeat
 * ids and names in every piece.
 */
export class StreamedCalls {
  readonly #calls: Call[] = []
  readonly #byId = new Map<string, Call>()
  readonly #byIndex = new Map<number, Call>()

  read(piece: WireCall): CallPiece {
    const { index, id, extra } = piece
    const name = typeof piece.name === 'string' && piece.name.trim() === '' ? undefined : (piece.name ?? undefined)
    const call = this.#ofPiece({ ...piece, name }) ?? this.#begin()
    const isNamed = call.name === undefined && name !== undefined
    const isIdNew = call.id === undefined && id !== undefined
    call.id ??= id
    if (isNamed) call.name = typeof name === 'string' ? name : JSON.stringify(name)
    if (id !== undefined) this.#byId.set(id, call)
    if (index !== undefined) this.#byIndex.set(index, call)
    const text = piece.arguments ?? ''
    call.text.add(text)
    return {
      index: call.place,
      ...(isIdNew && { id }),
      // An empty text means the same, and some servers start with `{}` and then write the arguments.
      function: { ...(isNamed && { name }), arguments: text === '{}' ? '' : text },
      ...(extra !== undefined && { extra_content: extra }),
    }
  }

  #begin(): Call {
    const call = { place: this.#calls.length, id: undefined, name: undefined, text: new Nesting() }
    this.#calls.push(call)
    return call
  }

  /** The call that a piece continues; undefined if it starts a new one. */
  #ofPiece({ index, id, name, arguments: text = '' }: WireCall): Call | undefined {
    const sameIndex = index === undefined ? undefined : this.#byIndex.get(index)
    const sameId = id === undefined ? undefined : this.#byId.get(id)
    const former =
      sameId && (index === undefined || sameId === sameIndex || (sameIndex === undefined && name === undefined))
        ? sameId
        : sameIndex
    if (former) return begins(former, { id, name, text }) ? undefined : former
    if (index !== undefined || id !== undefined) return undefined
    const last = this.#calls.at(-1)
    return last && !begins(last, { id, name, text }) && (name === undefined || last.name === undefined)
      ? last
      : undefined
  }
}

/** Whether a piece starts a new call: it is named again, after the end of the arguments. */
function begins(former: Call, { id, name, text }: { id: string | undefined; name: unknown; text: string }): boolean {
  if (name === undefined || former.name === undefined) return false
  const isOther = (id !== undefined && former.id !== undefined && id !== former.id) || name !== former.name
  const isStart = text.trimStart().startsWith('{')
  return isOther ? isStart || former.text.isClosed || text.trim() === '' : isStart && former.text.isClosed
}

/** Tracks the nesting of a JSON text to find the end of its value. */
class Nesting {
  #depth = 0
  #isInText = false
  #isEscaped = false
  isClosed = false

  add(text: string): void {
    for (const character of text) this.#step(character)
  }

  #step(character: string): void {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (character === '\\') this.#isEscaped = true
      else if (character === '"') this.#isInText = false
      return
    }
    if (character === '"') this.#isInText = true
    else if (character === '{' || character === '[') this.#depth += 1
    else if (character === '}' || character === ']') {
      this.#depth -= 1
      this.isClosed = this.#depth === 0
    }
  }
}
