/** An address in the Temporal web interface from its template, in which `{id}` stands for an id. */
export const temporalAddress = (template: string, id: string): string =>
  template.replace('{id}', encodeURIComponent(id))
