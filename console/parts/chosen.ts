/** What is chosen of a list, in the text that a field has: none is an empty text, so that the field can be left out. */
export const chosenAs = (values: readonly string[]): string => (values.length === 0 ? '' : JSON.stringify(values))

export const chosenIn = (text: string): string[] => (text === '' ? [] : (JSON.parse(text) as string[]))
