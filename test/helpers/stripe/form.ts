/** The parameters of a request to Stripe: `items[0][price]=x` is `{ items: { 0: { price: 'x' } } }`. */
export interface Form {
  [name: string]: string | Form
}

/** Reads a form with brackets. */
export function readForm(text: string): Form {
  const form: Form = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const [first = '', ...rest] = name.replaceAll(']', '').split('[')
    put(form, [first, ...rest], value)
  }
  return form
}

function put(form: Form, [name = '', ...rest]: string[], value: string): void {
  if (rest.length === 0) form[name] = value
  else put((form[name] ??= {}) as Form, rest, value)
}

/** A text, or undefined. */
export function textIn(form: Form | undefined, name: string): string | undefined {
  const value = form?.[name]
  return typeof value === 'string' ? value : undefined
}

export const numberIn = (form: Form | undefined, name: string): number | undefined => {
  const text = textIn(form, name)
  return text === undefined ? undefined : Number(text)
}

/** What is in brackets. */
export function formIn(form: Form | undefined, name: string): Form {
  const value = form?.[name]
  return typeof value === 'object' ? value : {}
}

/** The members of a list, which has numbers in brackets. */
const listIn = (form: Form, name: string): (string | Form)[] => Object.values(formIn(form, name))

export const textsIn = (form: Form, name: string): string[] =>
  listIn(form, name).filter((item): item is string => typeof item === 'string')

export const formsIn = (form: Form, name: string): Form[] =>
  listIn(form, name).filter((item): item is Form => typeof item === 'object')

/** Metadata, whose values are texts. */
export const metadataIn = (form: Form): Record<string, string> =>
  Object.fromEntries(
    Object.entries(formIn(form, 'metadata')).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
