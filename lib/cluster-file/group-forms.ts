/** The form of the whole name of an Auto Scaling group. IAM would match many groups if it had a wildcard or a variable. */
export const wholeGroupName = /^(?! )(?:(?!\$\{)[ !-)+-9;->@-~]){1,255}(?<! )$/;

/** The key of a tag. @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_Tag.html */
export const tagKey = /^(?!aws:).{1,128}$/is;
