/**
 * The parameters of a request to Stripe: `items[0][price]=x` is `{ items: { 0: { price: 'x' } } }`. What stands in one is a
 * text or another form, and whoever reads it knows which.
 */
export interface Form {
  [name: string]: (Form & string) | undefined
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
  if (rest.length === 0) form[name] = value as Form & string
  else put((form[name] ??= {} as Form & string), rest, value)
}

/** The members of a list, which has numbers in brackets. */
export const listIn = (form: Form, name: string): (Form & string)[] =>
  Object.values((form[name] ?? {}) as Record<string, Form & string>)

export const textsIn = (form: Form, name: string): string[] => listIn(form, name)

/** Metadata, whose values are texts. */
export const metadataIn = (form: Form): Record<string, string> => ({ ...(form['metadata'] as object | undefined) })
