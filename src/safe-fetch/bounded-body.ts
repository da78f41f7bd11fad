/**
 * Reads a response body, after decompression, up to `maxBytes`; undefined if it is larger. It stops reading at once
 * then, so neither an endless body nor a decompression bomb uses more memory. Throws what reading the response throws.
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
