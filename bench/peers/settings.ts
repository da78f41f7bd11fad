/** A setting that the benchmark gives to this process. */
export function required(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

/** Agents have the same kind of id on all sides. */
export function assertUuid(text = ''): string {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) throw new Error(`${text} is not the id of an agent`)
  return text
}
