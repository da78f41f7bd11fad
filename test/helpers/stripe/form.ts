/**
 * The parameters of a Stripe request: `items[0][price]=x` is `{ items: { 0: { price: 'x' } } }`. A value is a string
 * or another form, and its reader knows which.
 */
export interface Form {
  [name: string]: (Form & string) | undefined
}

/** Parses a form with brackets. */
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

/** The items of a list, whose brackets contain numbers. */
export const listIn = (form: Form, name: string): (Form & string)[] =>
  Object.values((form[name] ?? {}) as Record<string, Form & string>)

export const textsIn = (form: Form, name: string): string[] => listIn(form, name)

/** Metadata, whose values are strings. */
export const metadataIn = (form: Form): Record<string, string> => ({ ...(form['metadata'] as object | undefined) })
