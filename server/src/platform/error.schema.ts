// The shape of every error answer.
import Type from 'typebox'
import { ERROR_STATUS } from './errors.ts'

export const ErrorFault = Type.Object(
  {
    path: Type.String({ description: 'The field or parameter at fault.', examples: ['impact'] }),
    message: Type.String({ description: 'What is wrong with it.', examples: ['must be <= 100'] }),
  },
  { $id: 'ErrorFault', description: 'One fault of an input.' },
)

export const ErrorAnswer = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.String({
          enum: Object.keys(ERROR_STATUS),
          description: 'Tells the kind of error; programs compare this.',
          examples: ['NOT_FOUND'],
        }),
        message: Type.String({
          description: 'For people; may change.',
          examples: ['no such rule'],
        }),
        request_id: Type.String({
          description: 'The same as the header X-Request-Id; quote it when you ask for help.',
          examples: ['req_0mm8o8c001q7xk3m2p5aw9'],
        }),
        details: Type.Optional(
          Type.Array(ErrorFault, { description: 'Every fault that was found, where that helps.' }),
        ),
      },
      { description: 'What went wrong.' },
    ),
  },
  { $id: 'Error', description: 'Every error has this shape.' },
)
