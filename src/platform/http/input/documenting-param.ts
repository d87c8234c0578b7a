/** Makes a parameter decorator that also documents its method. */
export function documentingParam(
  param: ParameterDecorator,
  ...documentation: MethodDecorator[]
): ParameterDecorator {
  return (target, method, index) => {
    param(target, method, index);
    if (method === undefined) return;
    const descriptor = Object.getOwnPropertyDescriptor(target, method);
    if (descriptor) documentation.forEach((decorate) => decorate(target, method, descriptor));
  };
}
