// fences changes the expressions of ValidatingAdmissionPolicies in one place at a time, and prints which changes no recorded request shows, as JSON.
// It judges with the API server's own code. Standard input names the files of recorded requests, a line each; see test/cluster/recorded-admissions.ts.
//
// A change is found where one of the requests is allowed instead of refused, refused instead of allowed, or refused with another message. The share
// of the changes that is tried is the first argument, from 0 to 1; names of policies may follow.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
)

type policy = admissionregistrationv1.ValidatingAdmissionPolicy

// recorded is a request, and what the policies saw beside it.
type recorded struct {
	Request     admissionv1.AdmissionRequest `json:"request"`
	Namespace   *corev1.Namespace            `json:"namespace"`
	Deployments []map[string]any             `json:"deployments"`
	Policies    []policy                     `json:"policies"`
}

// asked is a request as a policy is asked about it.
type asked struct {
	attributes *admission.VersionedAttributes
	namespace  *corev1.Namespace
	params     runtime.Object
}

// variant is a policy with the limits of one deployment, and what it was asked and said.
type variant struct {
	policy policy
	asked  []asked
	// said has, for each request, the message of each validation that refuses it, and an empty text for the others; nil where no condition matches.
	said [][]string
}

func main() {
	share, err := strconv.ParseFloat(os.Args[1], 64)
	must(err)
	variants := map[string][]*variant{}
	names := bufio.NewScanner(os.Stdin)
	for names.Scan() {
		read(names.Text(), variants)
	}
	found := []result{}
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		if chosen := os.Args[2:]; len(chosen) > 0 && !slices.Contains(chosen, name) {
			continue
		}
		for _, it := range variants[name] {
			validator := compiled(it.policy)
			for _, one := range it.asked {
				it.said = append(it.said, judged(validator, one))
			}
		}
		fmt.Fprintln(os.Stderr, counted(name, variants[name]))
		for _, change := range changesOf(variants[name][0].policy) {
			if drawn(name, change) < share {
				found = append(found, result{name, change, isSeen(change, variants[name])})
			}
		}
	}
	must(json.NewEncoder(os.Stdout).Encode(found))
}

// result is what became of a change.
type result struct {
	Policy string `json:"policy"`
	change
	Killed bool `json:"killed"`
}

// isSeen says whether some request is judged in another way by the changed policy. Only the validations that the change reaches are asked again.
func isSeen(change change, variants []*variant) bool {
	for _, it := range variants {
		changed := change.of(it.policy)
		reached := reachedBy(change, it.policy)
		all := changed.Spec.Validations
		changed.Spec.Validations = nil
		for _, index := range reached {
			changed.Spec.Validations = append(changed.Spec.Validations, all[index])
		}
		validator := compiled(changed)
		for index, one := range it.asked {
			before := it.said[index]
			said := judged(validator, one)
			now := slices.Clone(before)
			if len(said) != len(reached) || before == nil {
				now = said
			} else {
				for at, text := range said {
					now[reached[at]] = text
				}
			}
			if verdict(now) != verdict(before) {
				return true
			}
		}
	}
	return false
}

// verdict is the message of a refusal; the API server tells the first.
func verdict(said []string) string {
	for _, it := range said {
		if it != "" {
			return it
		}
	}
	return ""
}

// reachedBy are the validations that a change may make say something else: that which it changes, or those that read what it changes.
func reachedBy(it change, of policy) []int {
	reached := []int{}
	for index, one := range of.Spec.Validations {
		if it.Kind == "condition" || it.Kind == "validation" && it.index == index || it.Kind == "variable" && reads(of, one.Expression, it.Place) {
			reached = append(reached, index)
		}
	}
	return reached
}

// reads says whether an expression reads a variable, or a variable that reads it.
func reads(of policy, expression, name string) bool {
	for _, used := range variable.FindAllStringSubmatch(expression, -1) {
		if used[1] == name {
			return true
		}
		for _, one := range of.Spec.Variables {
			if one.Name == used[1] && reads(of, one.Expression, name) {
				return true
			}
		}
	}
	return false
}

var variable = regexp.MustCompile(`variables\.(\w+)`)

func judged(validator validating.Validator, it asked) []string {
	result := validator.Validate(context.Background(), it.attributes.GetResource(), it.attributes, it.params, it.namespace, celconfig.RuntimeCELCostBudget, nil)
	var said []string
	for _, decision := range result.Decisions {
		switch {
		case decision.Action != validating.ActionDeny:
			said = append(said, "")
		case decision.Evaluation == validating.EvalError:
			said = append(said, "it cannot be judged")
		default:
			said = append(said, decision.Message)
		}
	}
	return said
}

// compiled does as the API server's plugin does, which exports no function for it.
func compiled(it policy) validating.Validator {
	declared := cel.OptionalVariableDeclarations{HasParams: it.Spec.ParamKind != nil, HasAuthorizer: true}
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	must(err)
	variables := []cel.NamedExpressionAccessor{}
	for _, one := range it.Spec.Variables {
		variables = append(variables, &validating.Variable{Name: one.Name, Expression: one.Expression})
	}
	compiler.CompileAndStoreVariables(variables, declared, environment.StoredExpressions)
	conditions, validations, messages := []cel.ExpressionAccessor{}, []cel.ExpressionAccessor{}, []cel.ExpressionAccessor{}
	for index := range it.Spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&it.Spec.MatchConditions[index]))
	}
	for _, one := range it.Spec.Validations {
		validations = append(validations, &validating.ValidationCondition{Expression: one.Expression, Message: one.Message, Reason: one.Reason})
		messages = append(messages, nil)
	}
	compile := func(all []cel.ExpressionAccessor) cel.ConditionEvaluator {
		return compiler.CompileCondition(all, declared, environment.StoredExpressions)
	}
	matcher := matchconditions.NewMatcher(compile(conditions), it.Spec.FailurePolicy, "policy", "validate", it.Name)
	return validating.NewValidator(compile(validations), matcher, compile(nil), compile(messages), it.Spec.FailurePolicy, nil)
}

// read adds the requests of a file to the policies that are asked about them.
func read(name string, variants map[string][]*variant) {
	file, err := os.Open(name)
	must(err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var line recorded
		must(json.Unmarshal(lines.Bytes(), &line))
		for _, it := range line.Policies {
			if !isOurs(it) || !selects(it, line.Request) {
				continue
			}
			one := variantOf(it, variants)
			one.asked = append(one.asked, askedOf(it, line)...)
		}
	}
	must(lines.Err())
}

func isOurs(it policy) bool {
	return len(it.Name) >= len("eks-node-lifecycle") && it.Name[:len("eks-node-lifecycle")] == "eks-node-lifecycle"
}

func variantOf(it policy, variants map[string][]*variant) *variant {
	text := func(it policy) string {
		text, err := json.Marshal(it.Spec)
		must(err)
		return string(text)
	}
	for _, one := range variants[it.Name] {
		if text(one.policy) == text(it) {
			return one
		}
	}
	one := &variant{policy: it}
	variants[it.Name] = append(variants[it.Name], one)
	return one
}

// selects says whether the policy is asked about a request; its rules name groups, resources and operations, and all versions.
func selects(it policy, request admissionv1.AdmissionRequest) bool {
	resource := request.Resource.Resource
	if request.SubResource != "" {
		resource += "/" + request.SubResource
	}
	return slices.ContainsFunc(it.Spec.MatchConstraints.ResourceRules, func(rule admissionregistrationv1.NamedRuleWithOperations) bool {
		return slices.Contains(rule.APIGroups, request.Resource.Group) && slices.Contains(rule.Resources, resource) &&
			slices.Contains(rule.Operations, admissionregistrationv1.OperationType(request.Operation))
	})
}

func askedOf(it policy, line recorded) []asked {
	request := line.Request
	kind := schema.GroupVersionKind(request.Kind)
	resource := schema.GroupVersionResource(request.Resource)
	object, old, options := objectOf(request.Object), objectOf(request.OldObject), objectOf(request.Options)
	extra := map[string][]string{}
	for key, value := range request.UserInfo.Extra {
		extra[key] = value
	}
	who := &user.DefaultInfo{Name: request.UserInfo.Username, UID: request.UserInfo.UID, Groups: request.UserInfo.Groups, Extra: extra}
	attributes := admission.NewAttributesRecord(object, old, kind, request.Namespace, request.Name, resource, request.SubResource,
		admission.Operation(request.Operation), options, request.DryRun != nil && *request.DryRun, who)
	versioned := &admission.VersionedAttributes{Attributes: attributes, VersionedObject: object, VersionedOldObject: old, VersionedKind: kind}
	if it.Spec.ParamKind == nil {
		return []asked{{versioned, line.Namespace, nil}}
	}
	all := []asked{}
	for _, deployment := range line.Deployments {
		all = append(all, asked{versioned, line.Namespace, &unstructured.Unstructured{Object: deployment}})
	}
	return all
}

func objectOf(raw runtime.RawExtension) runtime.Object {
	if len(raw.Raw) == 0 || string(raw.Raw) == "null" {
		return nil
	}
	object := &unstructured.Unstructured{}
	must(object.UnmarshalJSON(raw.Raw))
	return object
}

// drawn is a number from 0 up to 1 that follows from the change alone.
func drawn(name string, it change) float64 {
	sum := sha256.Sum256([]byte(name + "\n" + it.Place + "\n" + it.whole))
	return float64(binary.BigEndian.Uint32(sum[:])) / (1 << 32)
}

func counted(name string, variants []*variant) string {
	all, refused := 0, 0
	for _, it := range variants {
		for _, said := range it.said {
			all++
			if verdict(said) != "" {
				refused++
			}
		}
	}
	return fmt.Sprintf("%s: %d requests, %d refused", name, all, refused)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "fences:", err)
		os.Exit(1)
	}
}
