/**
 * Reads the body of a response, after decompression, up to a number of bytes; undefined if there are more. Stops
 * reading at once then, so that neither an endless body nor a small one that unpacks to gigabytes costs more memory.
 * Fails as reading the response fails.
 */
export async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(response.headers.get('content-length')) > maxBytes) return undefined
  // Grows in place: a body sent byte by byte would make a million little chunks to keep.
  const buffer = new ArrayBuffer(0, { maxByteLength: maxBytes })
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    const start = buffer.byteLength
    if (start + chunk.length > maxBytes) return undefined
    buffer.resize(start + chunk.length)
    new Uint8Array(buffer).set(chunk, start)
  }
  return new Uint8Array(buffer.slice(0))
}
