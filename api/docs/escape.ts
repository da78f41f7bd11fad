const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes a text for an HTML element or attribute. */
export const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
