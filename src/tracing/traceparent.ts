/** A span as other processes name it (W3C Trace Context, "traceparent"). */
export interface SpanRef {
  /** 32 and 16 hexadecimal digits, neither all zero. */
  traceId: string
  spanId: string
  isSampled: boolean
}

const form = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|-)/
const lengthOfFirstVersion = 55
/** Longer values of later versions are ignored. */
const mostCharacters = 256

/** Undefined unless the header is valid. */
export function readTraceparent(text: string | null | undefined): SpanRef | undefined {
  if (text === null || text === undefined || text.length > mostCharacters) return undefined
  const [, version, traceId, spanId, flags] = form.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (version === '00' && text.length !== lengthOfFirstVersion) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const writeTraceparent = ({ traceId, spanId, isSampled }: SpanRef): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

/**
 * The span of a run. It ends days later, perhaps in another process, while its children are long written. Its id
 * follows from the run's: the half of a UUID with the fewest fixed bits, which is never zero.
 */
export const spanOfRun = (run: { id: string; traceparent: string | null }): SpanRef | undefined => {
  const acceptedIn = readTraceparent(run.traceparent)
  return acceptedIn && { ...acceptedIn, spanId: run.id.replaceAll('-', '').slice(16).toLowerCase() }
}
