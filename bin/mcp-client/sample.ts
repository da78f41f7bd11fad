interface Schema {
  type?: string
}

const samples: Record<string, unknown> = {
  string: 'a',
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
  null: null,
}

/** Arguments that fit the simple schemas of the scenarios: a value of its type for each required property. */
export function sampleOf({ properties, required }: Record<string, unknown>): Record<string, unknown> {
  const known = (properties ?? {}) as Record<string, Schema>
  const names = (required ?? []) as string[]
  return Object.fromEntries(names.map((name) => [name, samples[known[name]?.type ?? 'string']]))
}
