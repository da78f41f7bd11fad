/**
 * Reads a response body, after decompression, up to `maxBytes`; undefined if it is larger. It then stops reading
 * immediately, so an endless body or a decompression bomb uses no more memory. Throws errors of the response.
 */
export async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(response.headers.get('content-length')) > maxBytes) return undefined
  // Grows in place: a body sent byte by byte would make a million small chunks.
  const buffer = new ArrayBuffer(0, { maxByteLength: maxBytes })
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    const start = buffer.byteLength
    if (start + chunk.length > maxBytes) return undefined
    buffer.resize(start + chunk.length)
    new Uint8Array(buffer).set(chunk, start)
  }
  return new Uint8Array(buffer.slice(0))
}
