interface StreamOptions {
  /** The size of the decompressed body. */
  maxBytes: number
  /** Makes the error that the reader gets, of an error of the response or, if undefined, of its size. */
  failure: (error: unknown) => Error
  /** Releases the connection. Called once: at the end, after a failure, and when the reader stops. */
  end: () => Promise<void>
}

/** A response body while it arrives. An endless one ends with an error after `maxBytes`. */
export function streamedBody(
  response: Response,
  { maxBytes, failure, end }: StreamOptions,
): ReadableStream<Uint8Array> {
  const reader = response.body?.getReader()
  let size = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const part = await reader?.read()
        size += part?.value?.length ?? 0
        if (size > maxBytes) controller.error(failure(undefined))
        else if (part?.value) return controller.enqueue(part.value)
        else controller.close()
      } catch (error) {
        controller.error(failure(error))
      }
      await end()
    },
    cancel: end,
  })
}
