/* What the suite wants its test server to return. */

/** A red pixel as PNG, and silence as WAV. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
export const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

export const words = (text: string) => ({ type: 'text' as const, text })
export const picture = { type: 'image' as const, data: png, mimeType: 'image/png' }
export const resourceOf = (uri: string, mimeType: string, text: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text },
})
