/** The kinds of values that a form asks for. */
export const fieldKinds = [
  'text',
  'email',
  'uri',
  'date',
  'date-time',
  'number',
  'integer',
  'boolean',
  'choice',
  'choices',
] as const

export interface FormField {
  name: string
  title: string | null
  description: string | null
  kind: (typeof fieldKinds)[number]
  isRequired: boolean
  /** For a choice, or a list of them: what can be chosen. Empty for other kinds. */
  choices: { value: string; title: string }[]
  /** The smallest and the largest number, of a text the lengths in characters, or how many choices a list may have. */
  min: number | null
  max: number | null
  /** What is shown at first, and stands for a value that is not given. */
  preset: FormValue | null
}

/** What a site wants to know from a person in the middle of a call. All texts are a stranger's. */
export interface Form {
  message: string
  fields: FormField[]
}

export type FormValue = string | number | boolean | string[]

/** What a person has given, by the names of the fields. */
export type FormInput = Record<string, FormValue>

/** Limits of forms: a person has to read and fill them. Lengths in UTF-16 units. */
export const mostFields = 20
/** Questions that a site asks at once are one form. */
export const mostQuestions = 5
export const mostChoices = 100
export const longestMessage = 4000
export const longestName = 100
export const longestTitle = 200
export const longestDescription = 1000
/** The longest text that a person may give. */
export const longestValue = 4000
/** The most bytes of what a site wants to get back with the answer. */
export const mostStateBytes = 16 * 1024
/** The largest form, in UTF-16 units of its JSON text. */
export const longestForm = 32 * 1024
/** How often a site may ask during one call. */
export const mostForms = 5

/** A person's answer to a form, as it is sent. `state`: see `CallOutcome`. */
export type FormAnswer = { state: string } & ({ action: 'accept'; input: FormInput } | { action: 'decline' })
