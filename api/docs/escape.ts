const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
