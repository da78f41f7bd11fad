import * as v from 'valibot'
import { fieldKinds } from '../../src/forms/form.ts'
import { field, freeObject, named } from './documented.ts'

const value = v.union([v.string(), v.number(), v.boolean(), v.array(v.string())])

const formField = named(
  'FormField',
  v.object({
    name: field(v.string(), 'Name of the value in `input`', 'size'),
    title: field(v.nullable(v.string()), 'Title for people', 'Size'),
    description: field(v.nullable(v.string()), 'What the site says about the field', null),
    kind: named('FormFieldKind', v.picklist(fieldKinds), 'Kind of value that the site wants', 'choice'),
    isRequired: field(v.boolean(), 'Whether a value must be given', true),
    choices: field(
      v.array(
        named(
          'FormChoice',
          v.object({
            value: field(v.string(), 'What the site gets', 'm'),
            title: field(v.string(), 'Title for people', 'Medium'),
          }),
          'Value that can be chosen',
        ),
      ),
      'For a `choice`, or a list of them (`choices`), what can be chosen; else empty',
    ),
    min: field(v.nullable(v.number()), 'Smallest number, or least number of characters or choices', null),
    max: field(v.nullable(v.number()), 'Largest number, or greatest number of characters or choices', null),
    preset: field(v.nullable(value), 'Value that is used if none is given', null),
  }),
  'Field of a form',
)

/** A form as persons and programs see it. Its texts are the site's. */
export const approvalForm = named(
  'ApprovalForm',
  v.object({
    message: field(v.string(), 'What the site says', 'Which size do you want?'),
    fields: field(v.array(formField), 'The fields of the form'),
  }),
  'What a site asks for in the middle of a call. It may not ask for secrets.',
)

export const formInput = freeObject('FormInput', 'Values by the names of the fields', { size: 'm' })
